(program (binary_operator lhs: (_) @name operator: ["<-" "=" "<<-"] rhs: (function_definition body: (_) @body)) @item.function)
((program (binary_operator lhs: (_) @name operator: ["<-" "=" "<<-"] rhs: (call function: (_) @_class arguments: (arguments) @members)) @item.class)
  (#match? @_class "(^|::)R6Class$"))
((call function: (_) @_class arguments: (arguments (argument name: (_) @_section value: (call arguments: (arguments
    (argument name: (_) @name value: (function_definition body: (_) @body)) @item.method)))))
  (#match? @_class "(^|::)R6Class$") (#any-of? @_section "public" "active"))
((call function: (_) @_class arguments: (arguments (argument name: (_) @_section value: (call arguments: (arguments
    (argument name: (_) @name value: (_) @value) @item.field)))))
  (#match? @_class "(^|::)R6Class$") (#any-of? @_section "public" "active"))
((call function: (_) @_class arguments: (arguments (argument name: (_) @name value: (_)) @item.field))
  (#match? @_class "(^|::)R6Class$") (#eq? @name "inherit"))
(program (binary_operator lhs: (_) @name operator: ["<-" "=" "<<-"] rhs: (_) @value) @item.constant)
((program (call function: (identifier) @_word arguments: (arguments . (argument value: (string) @name))) @item.class)
  (#any-of? @_word "setClass" "setGeneric" "setMethod" "setValidity" "setRefClass"))
(comment) @comment
((call function: (identifier) @_word arguments: (arguments . (argument value: (_) @import)))
  (#any-of? @_word "library" "require" "source"))
