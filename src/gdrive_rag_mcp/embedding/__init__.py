"""Text to unit vectors: a model that runs here, or one behind an HTTP endpoint."""

import os

# onnxruntime would gather facts about this machine and send them to its maker. It reads this when
# it is loaded, which happens in this package alone.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
