(section (atx_heading heading_content: (_) @name) . (_) @rest) @item.heading
(section (atx_heading heading_content: (_) @name)) @item.heading
(setext_heading heading_content: (_) @name) @item.heading
(minus_metadata) @purpose
(section (paragraph) @purpose)
