(function_declaration name: (_) @name body: (_) @body) @item.function
(generator_function_declaration name: (_) @name body: (_) @body) @item.function

(class_declaration name: (_) @name body: (_) @members) @item.class
(class_body (method_definition name: (_) @name body: (_) @body) @item.method)
(class_body (field_definition property: (_) @name value: (arrow_function body: (_) @body)) @item.method)
(class_body (field_definition property: (_) @name value: (_)? @value) @item.field)

; Values; a constant bound to a function is a function.
(variable_declarator name: (_) @name value: (arrow_function body: (_) @body)) @item.function
(variable_declarator name: (_) @name value: (function_expression body: (_) @body)) @item.function
(variable_declarator name: (_) @name value: (class body: (_) @members)) @item.class
(variable_declarator name: (identifier) @name value: (_)? @value) @item.constant
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)]) value: (_)? @value) @item.constant
(variable_declarator name: (array_pattern (identifier) @name) value: (_)? @value) @item.constant

; CommonJS exports and prototypes.
(expression_statement (assignment_expression left: (member_expression) @name right: (function_expression body: (_) @body))) @item.function
(expression_statement (assignment_expression left: (member_expression) @name right: (arrow_function body: (_) @body))) @item.function
(expression_statement (assignment_expression left: (member_expression) @name right: (class body: (_) @members))) @item.class
((expression_statement (assignment_expression left: (member_expression) @name right: (object) @members)) @item.reexport
  (#match? @name "^(module\\.)?exports\\b"))
((assignment_expression left: (member_expression) @_exports right: (object [
    (method_definition name: (_) @name body: (_) @body)
    (pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  ] @item.method))
  (#match? @_exports "^(module\\.)?exports\\b"))
((assignment_expression left: (member_expression) @_exports right: (object (pair key: (_) @name value: (_) @value) @item.field))
  (#match? @_exports "^(module\\.)?exports\\b"))
((assignment_expression left: (member_expression) @_exports right: (object [(shorthand_property_identifier) (spread_element)] @item.field @name))
  (#match? @_exports "^(module\\.)?exports\\b"))
((expression_statement (assignment_expression left: (member_expression) @name right: (_) @value)) @item.reexport
  (#match? @name "^((module\\.)?exports|window|globalThis)\\b"))

; Exports without a declaration.
(export_statement "default" @name value: (arrow_function body: (_) @body)) @item.function
(export_statement "default" @name value: (function_expression body: (_) @body)) @item.function
(export_statement "default" @name value: (class body: (_) @members)) @item.class
(export_statement "default" @name value: (_) @value) @item.constant
(export_statement source: (_) @name) @item.reexport
(export_statement (export_clause) @name) @item.reexport
(export_statement !source (export_clause (export_specifier name: (_) @exported)))
(export_statement "default" value: (identifier) @exported)

(export_statement) @export
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
(call_expression function: (import) arguments: (arguments . (string) @import))
(call_expression function: (identifier) @_require arguments: (arguments . (string) @import) (#eq? @_require "require"))
