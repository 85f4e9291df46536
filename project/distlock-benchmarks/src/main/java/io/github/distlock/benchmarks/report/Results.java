package io.github.distlock.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everything that was measured in a run, and what was not and why. Not thread-safe.
 */
public final class Results {

	private final Map<String, Chapter> chapters = new LinkedHashMap<>();

	private final List<Measurement> measurements = new ArrayList<>();

	private final Map<String, Map<String, String>> absent = new LinkedHashMap<>();

	/**
	 * Begin a workload.
	 * @param chapter what the report says of it
	 */
	public void begin(Chapter chapter) {
		this.chapters.put(chapter.id(), chapter);
	}

	/**
	 * Take a measurement.
	 * @param measurement of a workload that was begun
	 */
	public void add(Measurement measurement) {
		this.measurements.add(measurement);
	}

	/**
	 * Remember that a contender was not measured, or no further.
	 * @param workload in what
	 * @param contender which
	 * @param reason why
	 */
	public void absent(String workload, String contender, String reason) {
		this.absent.computeIfAbsent(workload, (id) -> new LinkedHashMap<>()).put(contender, reason);
	}

	/**
	 * Return everything that was measured.
	 * @return in the order of measuring
	 */
	public List<Measurement> measurements() {
		return List.copyOf(this.measurements);
	}

	/**
	 * Return who was not measured in a workload.
	 * @param workload which
	 * @return reasons by contender
	 */
	public Map<String, String> absent(String workload) {
		return Map.copyOf(this.absent.getOrDefault(workload, Map.of()));
	}

	/**
	 * Return how many increments were lost because a lock let two in.
	 * @return the sum over all slices
	 */
	public long lostUpdates() {
		return (long) this.measurements.stream()
			.mapToDouble((measurement) -> measurement.values().getOrDefault(Metric.LOST_UPDATES, 0.0))
			.sum();
	}

	List<Chapter> chapters() {
		return List.copyOf(this.chapters.values());
	}

	Set<String> contenders(Chapter chapter) {
		Set<String> contenders = new LinkedHashSet<>();
		of(chapter).forEach((measurement) -> contenders.add(measurement.contender()));
		return contenders;
	}

	List<Double> values(Chapter chapter, String contender, Metric metric) {
		return of(chapter).stream()
			.filter((measurement) -> measurement.contender().equals(contender))
			.map((measurement) -> measurement.value(metric))
			.toList();
	}

	/** Of the rounds that both were measured in. */
	List<Double> ratios(Chapter chapter, String contender) {
		return Statistics.ratios(values(chapter, contender, chapter.primary()),
				values(chapter, chapter.reference(), chapter.primary()));
	}

	private List<Measurement> of(Chapter chapter) {
		return this.measurements.stream().filter((measurement) -> measurement.workload().equals(chapter.id())).toList();
	}

}
