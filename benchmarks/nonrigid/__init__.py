"""Non-rigid registration: deformed sets with known truth, beside CPD and BCPD."""
