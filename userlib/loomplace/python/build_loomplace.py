# SPDX-License-Identifier: MIT
"""Builds the wheel (PEP 517): the package, and the library that make has built beside it."""
from __future__ import annotations

import base64
import hashlib
import pathlib
import re
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE.parent.parent / 'include' / 'loom_version.h'


def version() -> str:
    numbers = re.findall(r'#define LOOM_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)', HEADER.read_text())
    return '.'.join(numbers)


def build_wheel(wheel_directory: str, config_settings: object = None,
                metadata_directory: str | None = None) -> str:
    tag = 'py3-none-' + re.sub('[-.]', '_', sysconfig.get_platform())
    name, info = f'loomplace-{version()}', f'loomplace-{version()}.dist-info'
    files = {f'loomplace/{path.name}': path.read_bytes()
             for path in sorted((HERE / 'loomplace').iterdir()) if path.suffix in ('.py', '.typed')}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['make', '-s', '-C', HERE.parent, f'O={folder}'], check=True)
        files['loomplace/libloomplace.so'] = (
            pathlib.Path(folder, 'libloomplace.so').read_bytes())
    files[f'{info}/METADATA'] = (
        f'Metadata-Version: 2.1\nName: loomplace\nVersion: {version()}\nLicense: MIT\n'
        'Summary: Offsets for items with sizes and lifetimes\nRequires-Python: >=3.9\n').encode()
    files[f'{info}/WHEEL'] = (
        f'Wheel-Version: 1.0\nGenerator: loomplace\nRoot-Is-Purelib: false\nTag: {tag}\n').encode()
    record = ''
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        record += f'{path},sha256={digest},{len(data)}\n'
    files[f'{info}/RECORD'] = (record + f'{info}/RECORD,,\n').encode()
    wheel = f'{name}-{tag}.whl'
    with zipfile.ZipFile(pathlib.Path(wheel_directory, wheel), 'w', zipfile.ZIP_DEFLATED) as out:
        for path, data in files.items():
            out.writestr(zipfile.ZipInfo(path), data)
    return wheel
