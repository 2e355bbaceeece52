#!/bin/sh
# A Python for aarch64 with what voltac needs, from the archives of this Debian and of pip, for an emulator to run:
#   sh tests/support/aarch64_python.sh [FOLDER]       by default build/aarch64
# Nothing is installed: apt-get only fetches, with folders of its own. tests/python/test_on_aarch64.py uses what is there.
set -eu
folder=${1:-$(dirname "$0")/../../build/aarch64}
python=${PYTHON:-python3}
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/root"
folder=$(cd "$folder" && pwd)
. /etc/os-release
: > "$folder/apt/status"
echo "deb http://deb.debian.org/debian $VERSION_CODENAME main" > "$folder/apt/sources"
cat > "$folder/apt/conf" << END
Dir::Etc::SourceList "$folder/apt/sources"; Dir::Etc::SourceParts "-"; Dir::State "$folder/apt";
Dir::State::Status "$folder/apt/status"; Dir::Cache "$folder/apt"; APT::Architecture "arm64"; APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
END
export APT_CONFIG="$folder/apt/conf"
apt-get update -qq
apt-get install -qq -y --no-install-recommends --download-only python3-minimal libpython3-stdlib libstdc++6
for package in "$folder"/apt/archives/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
version=$(basename "$(ls "$folder"/root/usr/bin/python3.*)")
"$python" -m pip install -q --target "$folder/site" --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 \
  --python-version "${version#python}" --only-binary=:all: llvmlite lark numpy pytest hypothesis mpmath pyelftools
echo "$version" > "$folder/python"
