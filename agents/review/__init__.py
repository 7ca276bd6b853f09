"""Finished hands looked at again: what each decision cost and why, luck and skill apart, and a rating."""

from agents.review.hands import PlayedHand, logged_hand, replayed
from agents.review.judge import Effort, Judge, judge_for
from agents.review.report import Balance, Decision, HandReview
from agents.review.review import review_hand, review_hands

__all__ = [
    "Balance",
    "Decision",
    "Effort",
    "HandReview",
    "Judge",
    "PlayedHand",
    "judge_for",
    "logged_hand",
    "replayed",
    "review_hand",
    "review_hands",
]
