{-# LANGUAGE ScopedTypeVariables #-}
-- | Looms and the cloth they make.
module Loom
  ( Cloth (..)
  , Weave (weave)
  , Thread
  , width
  , knots
  ) where

import qualified Data.Map as Map
import Data.List (sort)

-- | A thread of some colour.
type Thread = String

-- | Cloth, in rows.
data Cloth = Plain Int
           | Striped { stripes :: Int, colour :: Thread }
           deriving (Eq, Show)

newtype Row a = Row { unRow :: [a] }

-- | What can be woven.
class Weave a where
  weave :: a -> Cloth
  unweave :: Cloth -> Maybe a

instance Weave Int where
  weave = Plain
  unweave _ = Nothing

-- | How wide it is.
width :: Cloth -> Int
width (Plain n) = n
width (Striped n _) = n

knots :: Ord k => Map.Map k Int -> [k]
knots = sort . Map.keys
  where
    inner = 1

hidden :: Int
hidden = 3
