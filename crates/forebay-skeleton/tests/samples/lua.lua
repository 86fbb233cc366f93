-- Maps of caves.

local stone = require("stone")

local Cave = {}
Cave.__index = Cave
Cave.DEPTH = 40

-- Digs a cave.
function Cave.new(name, depth)
  local self = setmetatable({}, Cave)
  self.name = name
  return self
end

-- Goes further in.
function Cave:enter(steps, ...)
  local inner = function() return 1 end
  return inner()
end

local function hidden(x)
  return x
end

function echo(sound)
  return sound
end

Cave.light = function(self, lamp)
  return lamp
end

MAX_CAVES = 7

return Cave
