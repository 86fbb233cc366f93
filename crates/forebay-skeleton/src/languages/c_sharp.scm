(namespace_declaration name: (_) @name body: (_) @members) @item.module
(file_scoped_namespace_declaration name: (_) @name) @item.module
(class_declaration name: (_) @name body: (_) @members) @item.class
(struct_declaration name: (_) @name body: (_) @members) @item.struct
(record_declaration name: (_) @name body: (_) @members) @item.class
(record_declaration name: (_) @name) @item.class
(interface_declaration name: (_) @name body: (_) @members) @item.interface
(enum_declaration name: (_) @name body: (_) @members) @item.enum
(enum_member_declaration name: (_) @name) @item.variant
(delegate_declaration name: (_) @name) @item.type

(method_declaration name: (_) @name body: (_)? @body) @item.method
(constructor_declaration name: (_) @name body: (_) @body) @item.method
(destructor_declaration name: (_) @name body: (_) @body) @item.method
(operator_declaration operator: _ @name body: (_) @body) @item.method
(conversion_operator_declaration type: (_) @name body: (_) @body) @item.method
(property_declaration name: (_) @name accessors: (accessor_list (accessor_declaration body: (_))) @value) @item.field
(property_declaration name: (_) @name value: (_)? @value) @item.field
(indexer_declaration "this" @name accessors: (_)? @value) @item.field
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @item.field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @item.field
(event_declaration name: (_) @name accessors: (_)? @value) @item.field

(comment) @comment
(using_directive (_) @import)
