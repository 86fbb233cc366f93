; Functions and their overloads.
(function_declaration name: (_) @name body: (_) @body) @item.function
(generator_function_declaration name: (_) @name body: (_) @body) @item.function
(function_signature name: (_) @name) @item.function

; Types and their members.
(class_declaration name: (_) @name body: (_) @members) @item.class
(abstract_class_declaration name: (_) @name body: (_) @members) @item.class
(interface_declaration name: (_) @name body: (_) @members) @item.interface
(enum_declaration name: (_) @name body: (_) @members) @item.enum
(enum_body [(property_identifier) (string) (computed_property_name)] @item.variant @name)
(enum_assignment name: (_) @name value: (_) @value) @item.variant
(type_alias_declaration name: (_) @name) @item.type
(class_body (method_definition name: (_) @name body: (_) @body) @item.method)
(method_signature name: (_) @name) @item.method
(abstract_method_signature name: (_) @name) @item.method
(class_body (public_field_definition name: (_) @name value: (arrow_function body: (_) @body)) @item.method)
(class_body (public_field_definition name: (_) @name value: (_)? @value) @item.field)
(interface_body (property_signature name: (_) @name) @item.field)
(interface_body (call_signature) @item.method @name)
(interface_body (construct_signature "new" @name) @item.method)
(interface_body (index_signature) @item.field @name)
(class_body (index_signature) @item.field @name)

; Namespaces.
(internal_module name: (_) @name body: (_) @members) @item.module
(module name: (_) @name body: (_) @members) @item.module
(ambient_declaration "global" @name (statement_block) @members) @item.module

; Values; a constant bound to a function is a function.
(variable_declarator name: (_) @name value: (arrow_function body: (_) @body)) @item.function
(variable_declarator name: (_) @name value: (function_expression body: (_) @body)) @item.function
(variable_declarator name: (_) @name value: (class body: (_) @members)) @item.class
(variable_declarator name: (identifier) @name value: (_)? @value) @item.constant
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)]) value: (_)? @value) @item.constant
(variable_declarator name: (array_pattern (identifier) @name) value: (_)? @value) @item.constant

; Exports without a declaration.
(export_statement "default" @name value: (arrow_function body: (_) @body)) @item.function
(export_statement "default" @name value: (function_expression body: (_) @body)) @item.function
(export_statement "default" @name value: (class body: (_) @members)) @item.class
(export_statement "default" @name value: (_) @value) @item.constant
(export_statement source: (_) @name) @item.reexport
(export_statement (export_clause) @name) @item.reexport
(export_statement "=" @name) @item.reexport
(export_statement "namespace" @name) @item.reexport
(import_alias . (identifier) @name) @item.type
(export_statement !source (export_clause (export_specifier name: (_) @exported)))
(export_statement "default" value: (identifier) @exported)
(export_statement "=" (identifier) @exported)

(export_statement) @export
(ambient_declaration) @wrapper
(lexical_declaration) @wrapper
(variable_declaration) @wrapper
(comment) @comment
(decorator) @attribute

; Declarations in callbacks and control flow are local; those in module wrappers are not.
(arguments [(arrow_function) (function_expression)] @opaque)
(expression_statement (parenthesized_expression (call_expression function: (function_expression) arguments: (arguments (function_expression) @open))))
(expression_statement (call_expression function: (parenthesized_expression (function_expression)) arguments: (arguments (function_expression) @open)))
((expression_statement (call_expression function: (identifier) @_define arguments: (arguments (function_expression) @open)))
  (#eq? @_define "define"))
[(if_statement) (for_statement) (for_in_statement) (while_statement) (do_statement) (try_statement) (switch_statement)] @opaque

; Imports are not declarations of this file.
((variable_declarator value: [
    (call_expression function: (identifier) @_require arguments: (arguments . (string)))
    (call_expression function: (call_expression function: (identifier) @_require arguments: (arguments . (string))))
    (member_expression object: (call_expression function: (identifier) @_require arguments: (arguments . (string))))
  ]) @opaque
  (#eq? @_require "require"))

(import_statement source: (_) @import)
(export_statement source: (_) @import)
(import_require_clause source: (_) @import)
(call_expression function: (import) arguments: (arguments . (string) @import))
(call_expression function: (identifier) @_require arguments: (arguments . (string) @import) (#eq? @_require "require"))
