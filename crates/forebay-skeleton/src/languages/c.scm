(function_definition declarator: (_) @name body: (_) @body) @item.function
(declaration declarator: (function_declarator) @name) @item.function
(declaration declarator: (pointer_declarator declarator: (function_declarator)) @name) @item.function
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator))) @name) @item.function
(declaration declarator: (init_declarator declarator: (_) @name value: (_) @value)) @item.variable
(declaration declarator: (_) @name) @item.variable

(type_definition type: (struct_specifier body: (_) @members) declarator: (_) @name) @item.struct
(type_definition type: (union_specifier body: (_) @members) declarator: (_) @name) @item.union
(type_definition type: (enum_specifier body: (_) @members) declarator: (_) @name) @item.enum
(type_definition declarator: (_) @name) @item.type
(struct_specifier name: (_) @name body: (_) @members) @item.struct
(union_specifier name: (_) @name body: (_) @members) @item.union
(enum_specifier name: (_)? @name body: (_) @members) @item.enum
; Forward declarations: opaque types that are used through pointers.
([(translation_unit (struct_specifier name: (_) @name !body) @item.struct)
  (preproc_ifdef (struct_specifier name: (_) @name !body) @item.struct)
  (declaration_list (struct_specifier name: (_) @name !body) @item.struct)])
(field_declaration type: (union_specifier !name body: (_) @members) !declarator) @item.union
(field_declaration type: (struct_specifier !name body: (_) @members) !declarator) @item.struct
(field_declaration declarator: (_) @name) @item.field
(enumerator name: (_) @name) @item.variant

(preproc_def name: (_) @name value: (_) @value) @item.macro
(preproc_function_def name: (_) @name parameters: (_) value: (_) @value) @item.macro

(comment) @comment
(preproc_include path: (_) @import)
