# Evaluates the flake beside this file, with the part of nixpkgs that it uses.
let
  flake = import ./flake.nix;
  lib = {
    genAttrs = names: make: builtins.listToAttrs (map (name: { inherit name; value = make name; }) names);
    importTOML = file: builtins.fromTOML (builtins.readFile file);
    optionalString = holds: text: if holds then text else "";
    licenses = { mit = "MIT"; asl20 = "Apache-2.0"; };
    getExe = package: "/bin/${package.meta.mainProgram}";
  };
  systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
  pkgsOf = system:
    let platform = { inherit system; canExecute = _: true; };
    in {
      inherit lib;
      installShellFiles = "installShellFiles";
      stdenv = { buildPlatform = platform; hostPlatform = platform; };
      rustPlatform.buildRustPackage = arguments: arguments;
    };
  nixpkgs = { inherit lib; legacyPackages = lib.genAttrs systems pkgsOf; };
  outputs = flake.outputs { self = outputs // { outPath = ./.; }; inherit nixpkgs; };
  described = system:
    let package = outputs.packages.${system}.default;
    in {
      inherit (package) pname version postInstall;
      inherit (package.meta) description license platforms;
      inherit (outputs.apps.${system}.default) program;
    };
in
lib.genAttrs systems described
