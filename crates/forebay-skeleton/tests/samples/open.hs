-- | Knots that anyone may tie.
module Knots where

infixl 6 +++

newtype Turns = Turns Int

class Tied f where
  type End f :: *
  data Loop f
  empty :: f
  -- | Ties it.
  tie :: End f -> f -> f
  tie _ x = x

-- | Knots by their ends.
data Knot a where
  Bowline :: Int -> Knot Int
  Reef    :: Bool -> Knot Bool
  deriving Show

-- | Nothing is tied.
pattern Loose :: Int
pattern Loose = 0

-- | How many turns.
turns :: Int -> Int
turns 0 = 1
turns x
  | x > 3 = 2
  | otherwise = x

slack x = inner x
  where
    inner y = y

(left, right) = let helper z = z in (helper 1, 2)

deriving instance Eq (Knot a)

(+++) :: Int -> Int -> Int
a +++ b = a

-- | What a knot is tied of.
type family Rope a where
  Rope Int = Bool
