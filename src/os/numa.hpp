// NUMA nodes of this machine, as /sys shows them.
#pragma once

namespace oshen::os {

// The NUMA node that holds every CPU on which the calling thread may run; -1: there is more than one, or none is known.
int own_numa_node();

// The NUMA node of a PCI device with an address such as "0000:c1:00.0"; -1: unknown.
int numa_node_of_device(const char* pci_address);

}  // namespace oshen::os
