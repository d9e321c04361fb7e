"""The experiments of Campbell & Petersson, ICCV 2015, on the data that can be had, beside today's peers."""
