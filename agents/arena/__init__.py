"""Matches between any two agents: duplicate deals, paired samples, 95 % intervals."""

from agents.arena.match import Adjusting, MatchSettings, play_match, play_sessions
from agents.arena.results import MatchResult, SessionResult

__all__ = ["Adjusting", "MatchResult", "MatchSettings", "SessionResult", "play_match", "play_sessions"]
