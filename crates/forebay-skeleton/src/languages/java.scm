(class_declaration name: (_) @name body: (_) @members) @item.class
(interface_declaration name: (_) @name body: (_) @members) @item.interface
(annotation_type_declaration name: (_) @name body: (_) @members) @item.interface
(enum_declaration name: (_) @name body: (_) @members) @item.enum
(record_declaration name: (_) @name body: (_) @members) @item.class
(enum_constant name: (_) @name body: (_) @body) @item.variant
(enum_constant name: (_) @name) @item.variant

(method_declaration name: (_) @name body: (_)? @body) @item.method
(constructor_declaration name: (_) @name body: (_) @body) @item.method
(compact_constructor_declaration name: (_) @name body: (_) @body) @item.method
(annotation_type_element_declaration name: (_) @name) @item.method
(field_declaration declarator: (variable_declarator name: (_) @name value: (_)? @value)) @item.field
(constant_declaration declarator: (variable_declarator name: (_) @name value: (_)? @value)) @item.constant
(module_declaration name: (_) @name body: (_) @members) @item.module

(line_comment) @comment
(block_comment) @comment
(import_declaration (_) @import)
