; Members of an exported object; shared by JavaScript and TypeScript.
(export_statement "default" @name value: (object) @members) @item.constant
(export_statement value: (object [
  (method_definition name: (_) @name body: (_) @body)
  (pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
] @item.method))
(export_statement value: (object (pair key: (_) @name value: (object) @members) @item.field))
(export_statement value: (object (pair key: (_) @name value: (_) @value) @item.field))
(export_statement value: (object [(shorthand_property_identifier) (spread_element)] @item.field @name))
(export_statement value: (object (pair value: (object [
  (method_definition name: (_) @name body: (_) @body)
  (pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
] @item.method))))
(export_statement value: (object (pair value: (object (pair key: (_) @name value: (_) @value) @item.field))))
(export_statement value: (object (pair value: (object [(shorthand_property_identifier) (spread_element)] @item.field @name))))
