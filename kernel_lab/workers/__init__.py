"""Workers: the processes where kernels are compiled, run and measured, so that nothing they do can cost the notebook."""
