(section (atx_heading heading_content: (_) @name) . (_) @rest) @item.heading
(section (atx_heading heading_content: (_) @name)) @item.heading
(setext_heading heading_content: (_) @name [(setext_h1_underline) (setext_h2_underline)] @body) @item.heading
(minus_metadata) @module_doc
(section (paragraph) @module_doc)
