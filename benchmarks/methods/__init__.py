"""Registration methods behind one signature: ours, the peers', and those written here because no package has them."""
