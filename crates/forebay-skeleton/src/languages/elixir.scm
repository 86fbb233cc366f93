((call target: (identifier) @_word (arguments . (alias) @name) (do_block) @members) @item.module
  (#any-of? @_word "defmodule" "defprotocol" "defimpl"))

((call target: (identifier) @_word (arguments . [
    (call target: (identifier) @name)
    (identifier) @name
    (binary_operator left: (call target: (identifier) @name))
    (binary_operator left: (identifier) @name)
  ] (keywords) @body)) @item.function
  (#any-of? @_word "def" "defp" "defmacro" "defmacrop" "defdelegate"))
((call target: (identifier) @_word (arguments . [
    (call target: (identifier) @name)
    (identifier) @name
    (binary_operator left: (call target: (identifier) @name))
    (binary_operator left: (identifier) @name)
  ]) (do_block) @body) @item.function
  (#any-of? @_word "def" "defp" "defmacro" "defmacrop"))
((call target: (identifier) @_word (arguments . [
    (call target: (identifier) @name)
    (identifier) @name
    (binary_operator left: (call target: (identifier) @name))
    (binary_operator left: (identifier) @name)
  ])) @item.function
  (#any-of? @_word "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate"))
((call target: (identifier) @name (arguments)) @item.struct
  (#any-of? @name "defstruct" "defexception"))

((unary_operator operand: (call target: (identifier) @_word (arguments (binary_operator left: [
    (call target: (identifier) @name)
    (identifier) @name
  ])))) @item.type
  (#any-of? @_word "type" "typep" "opaque" "callback" "macrocallback"))

; `use` and `@behaviour` of a module.
((call target: (identifier) @_word (arguments . (alias) @name)) @item.reexport
  (#eq? @_word "use"))
((unary_operator operand: (call target: (identifier) @_word (arguments . (alias) @name))) @item.reexport
  (#eq? @_word "behaviour"))

((unary_operator operand: (call target: (identifier) @_word)) @attribute
  (#any-of? @_word "spec" "impl" "deprecated"))
((unary_operator operand: (call target: (identifier) @_word (arguments (string)))) @comment
  (#eq? @_word "doc"))
(unary_operator operand: (call target: (identifier) @_word (arguments (string) @module_doc))
  (#eq? @_word "moduledoc"))
(comment) @comment
((call target: (identifier) @_word (arguments . (alias) @import))
  (#any-of? @_word "alias" "import" "use" "require"))
