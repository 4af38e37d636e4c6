package layout

// BlockSizesRule is what AreBlockSizes takes. Slurm has 16 levels of blocks (MAX_BLOCK_LEVELS).
const BlockSizesRule = "numbers of nodes from 1, each 1, 2, 4, ... or 32768 times the first one (BlockSizes of topology.conf(5))"

// AreBlockSizes says whether Slurm takes the sizes (_read_topo_file in src/plugins/topology/block/block_record.c).
func AreBlockSizes(sizes []int) bool {
	for _, size := range sizes {
		first := sizes[0]
		if size < 1 || size%first != 0 {
			return false
		}
		if factor := size / first; factor&(factor-1) != 0 || factor > 1<<15 {
			return false
		}
	}
	return true
}
