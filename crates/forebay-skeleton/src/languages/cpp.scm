(class_specifier name: (_) @name body: (_) @members) @item.class
(namespace_definition name: (_)? @name body: (_) @members) @item.module
(alias_declaration name: (_) @name) @item.type
(concept_definition name: (_) @name) @item.type
(using_declaration (_) @name) @item.reexport
(field_declaration declarator: (function_declarator) @name) @item.method
(field_declaration declarator: (pointer_declarator declarator: (function_declarator)) @name) @item.method
(field_declaration declarator: (reference_declarator (function_declarator)) @name) @item.method
(declaration declarator: (reference_declarator (function_declarator)) @name) @item.function
(function_definition declarator: (_) @name (default_method_clause)) @item.function
(function_definition declarator: (_) @name (delete_method_clause)) @item.function
(function_definition declarator: (_) @name (field_initializer_list) @body) @item.function
; A function whose body ends like that of a class.
(declaration declarator: (init_declarator declarator: (function_declarator declarator: [(identifier) (qualified_identifier)]) @name value: (initializer_list) @body)) @item.function
(template_declaration) @wrapper
(friend_declaration) @wrapper
((access_specifier) @section.private (#eq? @section.private "private"))
; `signals` is normalized to `public`; predicates see the first six letters of the source.
((access_specifier) @section.public (#match? @section.public "^(public|protected|signal|Q_SIGN)"))
