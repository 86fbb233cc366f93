{
  description = "Keeps raw tool output out of an AI coding agent's context window";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      # The one place of the version.
      manifest = (nixpkgs.lib.importTOML ./Cargo.toml).workspace.package;
    in
    {
      packages = forEach (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "forebay";
          inherit (manifest) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package" "forebay" ];
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The tests need a sandbox, PostgreSQL and agents: `cargo xtask test` runs them.
          doCheck = false;
          postInstall = pkgs.lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
            for shell in bash zsh fish; do
              $out/bin/forebay completions $shell > forebay.$shell
            done
            $out/bin/forebay man > forebay.1
            installShellCompletion --cmd forebay --bash forebay.bash --zsh forebay.zsh --fish forebay.fish
            installManPage forebay.1
          '';
          meta = {
            description = "Keeps raw tool output out of an AI coding agent's context window";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "forebay";
            platforms = systems;
          };
        };
      });

      apps = forEach (pkgs: {
        default = {
          type = "app";
          program = nixpkgs.lib.getExe self.packages.${pkgs.stdenv.hostPlatform.system}.default;
        };
      });
    };
}
