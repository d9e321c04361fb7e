"""The commands of `svgm`, one file each. `svgm.cli.COMMANDS` lists them."""
