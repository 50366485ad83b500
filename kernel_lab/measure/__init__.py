"""Measuring on a GPU. First form: CUDA events, cold L2, the median; see `events`."""
