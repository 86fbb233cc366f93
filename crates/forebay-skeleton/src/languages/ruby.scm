(module name: (_) @name body: (_) @members) @item.module
(module name: (_) @name) @item.module
(class name: (_) @name body: (_) @members) @item.class
(class name: (_) @name) @item.class
(singleton_class value: (_) @name body: (_) @members) @item.impl
(method name: (_) @name body: (_)? @body) @item.method
(singleton_method name: (_) @name body: (_)? @body) @item.method
(alias name: (_) @name) @item.method
((call method: (identifier) @_word arguments: (argument_list . (simple_symbol) @name) block: (_) @body) @item.method
  (#eq? @_word "define_method"))
((call method: (identifier) @_word arguments: (argument_list . (simple_symbol) @name)) @item.method
  (#any-of? @_word "define_method" "alias_method"))
((assignment left: (constant) @name right: (call receiver: (constant) @_type method: (identifier) block: (do_block body: (_) @members))) @item.class
  (#any-of? @_type "Struct" "Data" "Class" "Module"))
(assignment left: (constant) @name right: (_) @value) @item.constant
((call method: (identifier) @_accessor arguments: (argument_list (simple_symbol) @name)) @item.field
  (#any-of? @_accessor "attr_accessor" "attr_reader" "attr_writer" "delegate" "scope" "has_many" "belongs_to" "has_one"))
((call method: (identifier) @_mixin arguments: (argument_list . (_) @name)) @item.reexport
  (#any-of? @_mixin "include" "extend" "prepend"))

((body_statement (identifier) @section.private) (#any-of? @section.private "private" "private_class_method"))
((body_statement (identifier) @section.public) (#any-of? @section.public "public" "protected" "module_function"))
((call method: (identifier) @_private arguments: (argument_list [(method) (singleton_method) (call)] @opaque))
  (#any-of? @_private "private" "private_class_method"))
((call method: (identifier) @_private arguments: (argument_list (simple_symbol) @hidden))
  (#any-of? @_private "private" "private_class_method" "private_constant"))

(comment) @comment
((call method: (identifier) @_require arguments: (argument_list (string (string_content) @import)))
  (#any-of? @_require "require" "require_relative"))
