"""Long jobs, one subgoal at a time: HiAgent (arXiv 2408.09559) on a local model."""
