(rule (targets) @name (recipe) @body) @item.target
(rule (targets) @name) @item.target
(variable_assignment name: (_) @name value: (_)? @value) @item.variable
(define_directive name: (_) @name value: (_)? @value) @item.macro
(export_directive variables: (list (word) @name)) @item.variable
(export_directive) @wrapper
(comment) @comment
(include_directive filenames: (_) @import)
