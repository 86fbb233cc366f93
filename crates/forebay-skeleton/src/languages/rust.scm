; Items with an omitted body.
(function_item name: (_) @name body: (_) @body) @item.function
(function_signature_item name: (_) @name) @item.function

; Types and their members.
(struct_item name: (_) @name body: (field_declaration_list) @members) @item.struct
(struct_item name: (_) @name) @item.struct
(union_item name: (_) @name body: (_) @members) @item.union
(enum_item name: (_) @name body: (_) @members) @item.enum
(field_declaration name: (_) @name) @item.field
(enum_variant name: (_) @name) @item.variant
(type_item name: (_) @name) @item.type
(associated_type name: (_) @name) @item.type

; Groups. Trait implementations are listed without their members.
(trait_item name: (_) @name body: (_) @members) @item.trait
(impl_item trait: (_) type: (_) @name body: (_) @body) @item.impl
(impl_item !trait type: (_) @name body: (_) @members) @item.impl
(mod_item name: (_) @name body: (_) @members) @item.module
(mod_item name: (_) @name) @item.module
(foreign_mod_item (extern_modifier) @name body: (_) @members) @item.module

(const_item name: (_) @name value: (_)? @value) @item.constant
(static_item name: (_) @name value: (_)? @value) @item.variable
(macro_definition name: (_) @name . (_) @body) @item.macro
((attribute_item) @_attribute . [(attribute_item) (line_comment) (block_comment)]* . (macro_definition name: (_) @exported)
  (#match? @_attribute "macro_export"))
(use_declaration (visibility_modifier) argument: (identifier) @exported)
(use_declaration (visibility_modifier) argument: (use_as_clause path: (identifier) @exported))
; Items in a macro call are unknown to the grammar; the call is listed to show that there may be some.
((source_file (macro_invocation (token_tree) @value) @item.macro)
  (#match? @value "^\\{|\\b(pub|static|const|struct|enum)\\b"))
((source_file (expression_statement (macro_invocation (token_tree) @value)) @item.macro)
  (#match? @value "^\\{|\\b(pub|static|const|struct|enum)\\b"))
((declaration_list (macro_invocation (token_tree) @value) @item.macro)
  (#match? @value "^\\{|\\b(pub|static|const|struct|enum)\\b"))
((use_declaration (visibility_modifier) argument: (_) @name) @item.reexport)
(extern_crate_declaration (visibility_modifier) name: (_) @name) @item.reexport

(line_comment) @comment
(block_comment) @comment
(attribute_item) @attribute
(inner_attribute_item) @attribute
[(use_declaration) (mod_item !body) (extern_crate_declaration)] @import
