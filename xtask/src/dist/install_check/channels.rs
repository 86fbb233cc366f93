//! The ways to install the packages in an empty system, and to take them away again.

use super::npm_packages;
use crate::dist::release::{Release, Target};

pub(super) struct Channel {
    pub(super) name: &'static str,
    pub(super) install: String,
    /// Where the program is then.
    pub(super) folder: &'static str,
    pub(super) uninstall: &'static str,
    /// Whether the program stays where it is: agents are set up only with one that does.
    pub(super) lasts: bool,
}

pub(super) fn channels(release: &Release, target: &Target) -> Vec<Channel> {
    let version = &release.version;
    let stem = release.stem(target);
    let npm = npm_packages(release, target);
    let wheel = format!("/packages/forebay-{version}-py3-none-{}.whl", target.wheel);
    let mut channels = vec![
        Channel {
            name: "archive",
            install: "FOREBAY_RELEASES=/packages sh /packages/install.sh".to_owned(),
            folder: "$HOME/.local/bin",
            // `forebay uninstall` has removed it.
            uninstall: "true",
            lasts: true,
        },
        Channel {
            name: "npm install",
            install: format!("npm install --global --offline --prefix /opt/npm {npm}"),
            folder: "/opt/npm/bin",
            uninstall: "npm uninstall --global --prefix /opt/npm forebay && ! test -e /opt/npm/bin/forebay \
                        && rm -r /opt/npm",
            lasts: true,
        },
        Channel {
            name: "npx",
            install: format!(
                "rm -rf /var/cache/npm/_npx && npx --yes --offline {} -- forebay --version && mkdir -p /opt/npx && ln -s \
                 /var/cache/npm/_npx/*/node_modules/.bin/forebay /opt/npx/forebay",
                npm.split(' ').map(|package| format!("--package {package}")).collect::<Vec<_>>().join(" ")
            ),
            folder: "/opt/npx",
            uninstall: "rm -r /opt/npx /var/cache/npm/_npx",
            lasts: false,
        },
        Channel {
            name: "pip install",
            install: format!(
                "python3 -m venv /opt/venv && /opt/venv/bin/pip install --no-index {wheel}"
            ),
            folder: "/opt/venv/bin",
            uninstall: "/opt/venv/bin/pip uninstall --yes forebay && ! test -e /opt/venv/bin/forebay \
                        && rm -r /opt/venv",
            lasts: true,
        },
        Channel {
            name: "uv tool install",
            install: format!("/opt/uv/bin/uv tool install --offline --no-index {wheel}"),
            folder: "/opt/uv-bin",
            uninstall: "/opt/uv/bin/uv tool uninstall forebay",
            lasts: true,
        },
        Channel {
            name: "uvx",
            install: format!(
                "rm -rf /var/cache/uv && /opt/uv/bin/uvx --offline --no-index --from {wheel} forebay --version && mkdir -p /opt/uvx && ln -s \
                 /var/cache/uv/archive-v0/*/bin/forebay /opt/uvx/forebay"
            ),
            folder: "/opt/uvx",
            uninstall: "rm -r /opt/uvx /var/cache/uv",
            lasts: false,
        },
        Channel {
            name: "MCP bundle",
            install: format!("unzip -q /packages/{stem}.mcpb -d /opt/bundle"),
            folder: "/opt/bundle/server",
            uninstall: "rm -rf /opt/bundle",
            lasts: false,
        },
        Channel {
            name: "Homebrew formula",
            install: "ruby /packages/formula-check.rb /packages/forebay.rb /packages /opt/homebrew".to_owned(),
            folder: "/opt/homebrew/bin",
            uninstall: "rm -r /opt/homebrew",
            lasts: true,
        },
        Channel {
            name: "development container",
            install: "mkdir -p /opt/feature && cd /opt/feature && tar -xzf /packages/devcontainer-feature-forebay.tgz \
                      && FOREBAY_RELEASES=/packages sh install.sh"
                .to_owned(),
            folder: "/usr/local/bin",
            uninstall: "rm -rf /opt/feature",
            lasts: true,
        },
    ];
    if let Some(architecture) = target.debian {
        channels.push(Channel {
            name: "deb",
            install: format!("dpkg --install /packages/forebay_{version}_{architecture}.deb"),
            folder: "/usr/bin",
            uninstall: "dpkg --purge forebay && ! find /usr -name '*forebay*' | grep .",
            lasts: true,
        });
    }
    if let Some(architecture) = target.rpm {
        channels.push(Channel {
            name: "rpm",
            // Debian's own packages are not in the database of rpm, which is in the home folder there.
            install: format!(
                "rpm --dbpath /var/lib/rpm --install --nodeps /packages/forebay-{version}-1.{architecture}.rpm"
            ),
            folder: "/usr/bin",
            uninstall: "rpm --dbpath /var/lib/rpm --erase forebay && ! find /usr -name '*forebay*' | grep .",
            lasts: true,
        });
    }
    channels
}
