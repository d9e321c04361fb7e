"""A process that registers pairs with the svgm of the folder in its argument: a line of JSON in, a line out.

It imports nothing else from here, as the other checkout may be older.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

import numpy as np

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    # An editable install of svgm comes before every path.
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
    sys.path.insert(0, str(folder))
    import svgm

    if not Path(svgm.__file__).is_relative_to(folder.resolve()):
        sys.exit(f"svgm comes from {svgm.__file__}, not from {folder}")
    for line in sys.stdin:
        asked = json.loads(line)
        with np.load(asked["file"]) as pair:
            source, target = pair["source"], pair["target"]
        begin = process_time()
        result = svgm.register(source, target, threads=1, **asked["options"])
        seconds = process_time() - begin
        print(json.dumps({"seconds": seconds, "T": result.transformation.tolist()}), flush=True)
