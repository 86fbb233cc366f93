((element (start_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name))) . (_) @rest) @item.element
  (#eq? @_name "id"))
((element (start_tag (tag_name) @_tag) (text) @name) @item.heading
  (#match? @_tag "^([hH][1-6]|title)$"))
((script_element (start_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)))) @item.element
  (#eq? @_name "src"))
((element (start_tag (tag_name) @_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)))) @item.element
  (#eq? @_tag "link") (#eq? @_name "href"))
; Landmarks and form controls.
((element (start_tag (tag_name) @name) . (_) @rest) @item.element
  (#any-of? @name "main" "nav" "header" "footer" "aside" "form" "article"))
((element [(start_tag (tag_name) @_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)))
           (self_closing_tag (tag_name) @_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)))] @item.field)
  (#any-of? @_tag "input" "select" "textarea" "button") (#eq? @_name "name"))
(comment) @comment
