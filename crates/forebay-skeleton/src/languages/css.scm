((rule_set (selectors) @name (block (declaration (property_name) @_name)) @members) @item.rule
  (#match? @_name "^--"))
(rule_set (selectors) @name (block) @body) @item.rule
((declaration (property_name) @name) @item.field (#match? @name "^--"))
(media_statement . (_) @name (block) @members) @item.rule
(supports_statement . (_) @name (block) @members) @item.rule
(scope_statement . (_) @name (block) @members) @item.rule
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @item.rule
(at_rule (at_keyword) @name (block (rule_set)) @members) @item.rule
(at_rule (at_keyword) @name (block) @body) @item.rule
(at_rule (at_keyword) @name) @item.rule
(comment) @comment
(import_statement (_) @import)
