// Papers that rows come from.
#pragma once

namespace oshen::coll::paper {

inline constexpr const char* barnett =
    "Barnett, Gupta, Payne, Shuler, van de Geijn, Watts: Interprocessor collective communication library "
    "(InterCom), SHPCC 1994, doi:10.1109/SHPCC.1994.296665";
inline constexpr const char* bayatpour =
    "Bayatpour et al.: Scalable reduction collectives with data partitioning-based multi-leader design, SC 2017, "
    "doi:10.1145/3126908.3126954";
inline constexpr const char* blelloch =
    "Blelloch: Scans as primitive parallel operations, IEEE Trans. Computers 38(11), 1989, doi:10.1109/12.42122";
inline constexpr const char* bruck =
    "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in multiport "
    "message-passing systems, IEEE TPDS 8(11), 1997, doi:10.1109/71.642949";
inline constexpr const char* hensgen =
    "Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, IJPP 17(1), 1988, doi:10.1007/BF01379320";
inline constexpr const char* hillis =
    "Hillis, Steele: Data parallel algorithms, CACM 29(12), 1986, doi:10.1145/7902.7903";
inline constexpr const char* karonis =
    "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize collective operation "
    "performance, IPDPS 2000, doi:10.1109/IPDPS.2000.846009";
inline constexpr const char* mellor_crummey =
    "Mellor-Crummey, Scott: Algorithms for scalable synchronization on shared-memory multiprocessors, TOCS 9(1), "
    "1991, doi:10.1145/103727.103729";
inline constexpr const char* patarasuk =
    "Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC 69(2), 2009, "
    "doi:10.1016/j.jpdc.2008.09.002";
inline constexpr const char* pjesivac_grbovic =
    "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, Cluster Computing 10(2), 2007, "
    "doi:10.1007/s10586-007-0012-0";
inline constexpr const char* rabenseifner =
    "Rabenseifner: Optimization of collective reduction operations, ICCS 2004, doi:10.1007/978-3-540-24685-5_1";
inline constexpr const char* thakur =
    "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005, "
    "doi:10.1177/1094342005051521";

}  // namespace oshen::coll::paper
