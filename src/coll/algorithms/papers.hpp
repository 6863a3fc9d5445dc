// Papers that several rows come from.
#pragma once

namespace oshen::coll::paper {

inline constexpr const char* bruck =
    "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in "
    "multiport message-passing systems, IEEE TPDS 8(11), 1997, doi:10.1109/71.642949";
inline constexpr const char* hensgen =
    "Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, IJPP 17(1), 1988, doi:10.1007/BF01379320";
inline constexpr const char* karonis =
    "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize collective operation performance, "
    "IPDPS 2000, doi:10.1109/IPDPS.2000.846009";
inline constexpr const char* mellor_crummey =
    "Mellor-Crummey, Scott: Algorithms for scalable synchronization on shared-memory multiprocessors, TOCS 9(1), 1991, "
    "doi:10.1145/103727.103729";
inline constexpr const char* pjesivac_grbovic =
    "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, Cluster Computing 10(2), 2007, "
    "doi:10.1007/s10586-007-0012-0";
inline constexpr const char* thakur =
    "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005, "
    "doi:10.1177/1094342005051521";

}  // namespace oshen::coll::paper
