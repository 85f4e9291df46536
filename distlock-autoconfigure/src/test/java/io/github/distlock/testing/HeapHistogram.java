package io.github.distlock.testing;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.ObjectName;

import org.springframework.util.function.ThrowingSupplier;

/**
 * The live objects of the heap, in bytes by class name. Exact, since it is taken after a
 * full collection.
 */
public record HeapHistogram(Map<String, Long> bytes) {

	private static final Pattern LINE = Pattern.compile("^\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+).*$",
			Pattern.MULTILINE);

	public static HeapHistogram take() {
		String text = (String) ThrowingSupplier
			.of(() -> ManagementFactory.getPlatformMBeanServer()
				.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
						new Object[] { new String[0] }, new String[] { String[].class.getName() }))
			.get();
		Map<String, Long> bytes = new TreeMap<>();
		Matcher line = LINE.matcher(text);
		while (line.find()) {
			bytes.merge(line.group(3), Long.parseLong(line.group(2)), Long::sum);
		}
		return new HeapHistogram(bytes);
	}

	public static boolean isAvailable() {
		return ManagementFactory.getPlatformMBeanServer()
			.isRegistered(ThrowingSupplier.of(() -> new ObjectName("com.sun.management:type=DiagnosticCommand")).get());
	}

	/**
	 * The growth since an earlier histogram, divided by a number. Classes with a result
	 * below one are left out.
	 */
	public Map<String, Long> since(HeapHistogram earlier, int share) {
		Map<String, Long> added = this.bytes.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey,
					(entry) -> Math
						.round((double) (entry.getValue() - earlier.bytes().getOrDefault(entry.getKey(), 0L)) / share),
					(a, b) -> a, TreeMap::new));
		added.values().removeIf((each) -> each <= 0);
		return added;
	}

}
