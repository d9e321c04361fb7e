"""From a mixture to its surface (Section 7): level sets and meshes."""
