# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What the recipes need from apt and pip: missing packages installed, others downloaded.

say() {
    echo "$*" >&2
}

# die WHAT [WHAT-TO-DO]
die() {
    echo "error: $1" >&2
    [ $# -lt 2 ] || echo "       $2" >&2
    exit 1
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Installs those of the named packages that are missing, and says which.
install_missing() {
    local package missing=() root=()
    type apt-get dpkg-query >/dev/null 2>&1 ||
        die "this needs apt and dpkg" "run it on Debian 12, or build the target by hand"
    for package; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            die "packages are missing" "as root: apt-get install ${missing[*]}"
        root=(sudo)
    fi
    say "installing with apt: ${missing[*]}"
    # Others may be installing something: it waits for them.
    "${root[@]}" apt-get update -q >&2 || say "apt-get update had errors, going on"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -o DPkg::Lock::Timeout=600 \
        -y -q --no-install-recommends "${missing[@]}" >&2 ||
        die "apt could not install: ${missing[*]}" "see its messages above"
}

# The version of the source package that the installed package $1 was built from.
source_version() {
    dpkg-query -W -f '${source:Version}\n' "$1" | head -n 1
}

# Where the packages of this machine are from.
find_archive() {
    local codename
    # shellcheck source=/dev/null
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    apt-get indextargets --format "\$(SITE)" "Created-By: Packages" "Release: $codename" "Component: main" | head -n 1
}

# Turns the machine's own package sources into sources of type $2 (deb, deb-src), in folder $1.
derive_sources() {
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -r "$file" ] || continue
        sed -n -E "s/^[[:space:]]*deb[[:space:]]+/$2 /p" "$file" >"$1/$(basename "$file" .list).list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -r "$file" ] || continue
        sed -E "s/^Types:.*/Types: $2/I" "$file" >"$1/$(basename "$file")"
    done
}

# Sets the array apt to an apt-get with a configuration of its own in folder $1 and further options
# $3..., for sources of type $2: /etc/apt and the system's package lists stay as they are.
private_apt() {
    mkdir -p "$1/apt"/{sources,lists/partial,cache/archives/partial}
    derive_sources "$1/apt/sources" "$2"
    apt=(apt-get -q
        -o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$1/apt/sources"
        -o "Dir::State::lists=$1/apt/lists" -o "Dir::Cache=$1/apt/cache"
        -o "APT::Sandbox::User=root" -o "Acquire::Languages=none" "${@:3}")
    "${apt[@]}" update >&2 || say "some package sources could not be read, going on"
}

# Downloads version $2 of source package $1 into folder $3.
download_source() {
    local package=$1 version=$2 folder=$3 apt
    private_apt "$folder" deb-src
    (cd "$folder" && "${apt[@]}" source --download-only --only-source "$package=$version") >&2 ||
        die "the source package $package $version could not be downloaded" \
            "if it is no longer offered: apt-get update && apt-get upgrade, then try again"
}

# Downloads the binary packages that $3... name for architecture $2, and all that they depend on,
# into folder $1.
download_foreign() {
    local folder=$1 architecture=$2 apt
    shift 2
    private_apt "$folder" deb -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" \
        -o "Dir::State::status=/dev/null"
    "${apt[@]}" install -y --no-install-recommends --download-only "$@" >&2 ||
        die "packages of $architecture could not be downloaded: $*" "they are in Debian 12"
    mv "$folder"/apt/cache/archives/*.deb "$folder"
}

# Downloads the named binary packages into folder $1.
download_binaries() {
    local folder=$1 apt
    shift
    private_apt "$folder" deb
    (cd "$folder" && "${apt[@]}" download "$@") >&2 ||
        die "packages could not be downloaded: $*" "they are in Debian 12"
}

# Unpacks the binary packages of folder $1 into the current folder.
unpack_binaries() {
    local package
    for package in "$1"/*.deb; do
        dpkg -x "$package" .
    done
}

# Downloads the wheel of $2, NAME==VERSION, into folder $1.
download_wheel() {
    python3 -m pip -q --disable-pip-version-check download --no-deps --only-binary :all: \
        --dest "$1" "$2" >&2 ||
        die "the wheel of $2 could not be downloaded" "see pip's messages above"
}
