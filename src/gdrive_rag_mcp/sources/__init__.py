"""Where files come from: a local folder, or a Google Drive folder; nothing here ever writes to it.

Import the classes from their modules (`sources.local`, `sources.drive`): the latter costs the
Google client libraries, which a command that only searches must not pay for.
"""
