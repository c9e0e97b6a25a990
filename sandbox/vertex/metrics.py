"""The metrics that a trial's code reports: the file that cloudml-hypertune writes, one JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_NOT_METRICS = {"timestamp", "trial", "global_step", "checkpoint_path"}


def read_measurements(file: Path) -> list[dict[str, Any]]:
    """Returns the file's measurements in order: stepCount and metrics. No file: none; other lines are passed over."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []
    measurements = [_read_line(line) for line in lines]
    return [measurement for measurement in measurements if measurement is not None]


def _read_line(line: str) -> dict[str, Any] | None:
    try:
        report = json.loads(line)
        metrics = [
            {"metricId": name, "value": float(value)}
            for name, value in sorted(report.items())
            if name not in _NOT_METRICS
        ]
        return {"stepCount": str(int(report.get("global_step", 0))), "metrics": metrics} if metrics else None
    except (ValueError, TypeError, AttributeError):
        return None


def final_measurement(measurements: list[dict[str, Any]], study: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the last measurement with the study's metric, or the best where the study says so; None without any."""
    metric = study["metrics"][0]
    scored = [
        (entry["value"], measurement)
        for measurement in measurements
        for entry in measurement["metrics"]
        if entry["metricId"] == metric["metricId"]
    ]
    if not scored:
        return None
    if study.get("measurementSelectionType") != "BEST_MEASUREMENT":
        return scored[-1][1]
    sign = 1 if metric["goal"] == "MAXIMIZE" else -1
    return max(scored, key=lambda item: sign * item[0])[1]
