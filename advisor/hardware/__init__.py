"""GPUs, data types, occupancy, roofline, SASS opcodes, and simulators of coalescing and bank conflicts."""
