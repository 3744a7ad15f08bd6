"""What other tools load to have scythe inside: each part needs its own extra and is imported by nothing else."""
