(function_declaration name: (_) @name body: (_)? @body) @item.function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (_) @name body: (_)? @body) @item.method

(type_spec name: (_) @name type: (struct_type (field_declaration_list) @members)) @item.struct
(type_spec name: (_) @name type: (interface_type) @members) @item.interface
(method_elem name: (_) @name) @item.method
(interface_type (type_elem) @item.field @name)
(type_spec name: (_) @name) @item.type
(type_alias name: (_) @name) @item.type
(field_declaration name: (_) @name) @item.field
(field_declaration !name type: (_) @name) @item.field

; A group with implicit values is shown as a group: its order matters.
(const_declaration "(" @rest (const_spec !value)) @item.module
(const_spec name: (identifier) @name value: (_)? @value) @item.constant
(var_spec name: (identifier) @name value: (_)? @value) @item.variable

; A single declaration includes its keyword; a group has it once.
((type_declaration) @wrapper (#not-match? @wrapper "^type\\s*\\("))
((const_declaration) @wrapper (#not-match? @wrapper "^const\\s*\\("))
((var_declaration) @wrapper (#not-match? @wrapper "^var\\s*\\("))

(comment) @comment
(import_spec path: (_) @import)
