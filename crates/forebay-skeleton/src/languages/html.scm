((element (start_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name))) . (_) @rest) @item.element
  (#eq? @_name "id"))
((element (start_tag (tag_name) @_tag) (text) @name) @item.heading
  (#match? @_tag "^([hH][1-6]|title)$"))
((script_element (start_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)))) @item.element
  (#eq? @_name "src"))
((element (start_tag (tag_name) @_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)))) @item.element
  (#eq? @_tag "link") (#eq? @_name "href"))
(comment) @comment
