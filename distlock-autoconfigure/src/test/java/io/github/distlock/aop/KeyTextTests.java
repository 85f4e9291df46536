package io.github.distlock.aop;

import java.io.File;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Time;
import java.sql.Timestamp;
import java.text.DecimalFormat;
import java.text.SimpleDateFormat;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.chrono.HijrahDate;
import java.time.chrono.JapaneseDate;
import java.time.chrono.ThaiBuddhistDate;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Formatter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Random;
import java.util.Scanner;
import java.util.Set;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.testing.ChildJvm;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each value has the same key in all JVMs, or none.
 */
class KeyTextTests {

	@Test
	void aValueIsRefusedOrHasTheSameKeyInJvmsOfDifferentTimeZonesAndLocales() throws Exception {
		List<String> shanghai = keys("-Duser.timezone=Asia/Shanghai", "-Duser.language=zh", "-Duser.country=CN");
		List<String> utc = keys("-Duser.timezone=UTC", "-Duser.language=ar", "-Duser.country=EG");
		int accepted = KeyValues.accepted().size();
		assertThat(shanghai).hasSameSizeAs(utc).hasSizeGreaterThan(accepted);
		assertThat(shanghai.subList(0, accepted)).isEqualTo(utc.subList(0, accepted))
			.noneMatch((line) -> line.contains("\trefused: "));
		assertThat(shanghai.subList(accepted, shanghai.size())).allMatch((line) -> line.contains("\trefused: "));
		assertThat(utc.subList(accepted, shanghai.size())).allMatch((line) -> line.contains("\trefused: "));
	}

	private static List<String> keys(String... options) {
		try (ChildJvm child = ChildJvm.start(List.of(options), KeyValues.class)) {
			return child.linesBefore("end");
		}
	}

	@Test
	void aRefusalSaysWhatToWriteInstead() throws Exception {
		for (Map.Entry<String, Object[]> value : KeyValues.refused().entrySet()) {
			assertThat(KeyValues.key(value.getValue()[0])).as(value.getKey())
				.startsWith("refused: it is ")
				.contains((String) value.getValue()[1]);
		}
	}

	@Test
	void aRefusalNamesTheComponentOfTheRecord() {
		KeyValues.Box<?> deep = new KeyValues.Box<>(List.of(new KeyValues.Box<>(new java.sql.Timestamp(0))));
		String box = "an instance of " + KeyValues.Box.class.getTypeName();
		assertThat(KeyValues.key(deep)).startsWith("refused: it is " + box + ", in it content=[Box[")
			.contains("in it " + box + ", in it content=",
					"in it an instance of java.sql.Timestamp, whose text depends on the " + "time zone of the JVM");
	}

	/**
	 * Values of all kinds, the same in each JVM. As a program, it prints their keys, one
	 * line for each.
	 */
	static final class KeyValues {

		private static final long TIME = 1_767_225_600_000L;

		private static final Timestamp TIMESTAMP = new Timestamp(TIME);

		private static final Calendar CALENDAR = new Calendar.Builder().setInstant(TIME).build();

		/** Values that have the same text in each JVM. */
		static Map<String, Object> accepted() throws Exception {
			Map<String, Object> values = new LinkedHashMap<>();
			for (Object value : List.of("text", 'c', 7, 7L, 7.5f, 7.5, (short) 7, (byte) 7, true, new BigInteger("7"),
					new BigDecimal("7.50"), new AtomicLong(7), new AtomicBoolean(true), new UUID(1, 2), TimeUnit.DAYS,
					new StringBuilder("b"), new StringBuffer("b"), CharBuffer.wrap("b"), new Date(TIME),
					Instant.ofEpochMilli(TIME), LocalDate.of(2026, 1, 2), LocalTime.of(3, 4),
					LocalDateTime.of(2026, 1, 2, 3, 4),
					ZonedDateTime.ofInstant(Instant.ofEpochMilli(TIME), ZoneId.of("Asia/Tokyo")),
					OffsetDateTime.ofInstant(Instant.ofEpochMilli(TIME), ZoneOffset.ofHours(3)), Year.of(2026),
					YearMonth.of(2026, 1), MonthDay.of(1, 2), DayOfWeek.MONDAY, Duration.ofSeconds(90),
					Period.ofDays(3), ZoneId.of("Asia/Tokyo"), ZoneOffset.ofHours(3), JapaneseDate.of(2026, 1, 2),
					HijrahDate.of(1447, 7, 13), ThaiBuddhistDate.of(2569, 1, 2), Locale.SIMPLIFIED_CHINESE,
					Currency.getInstance("CNY"), URI.create("https://example.com/a"),
					URI.create("https://example.com/a").toURL(), new File("a/b"), Path.of("a/b"),
					FileTime.fromMillis(TIME), StandardCharsets.UTF_8, Pattern.compile("a.b"), Order.class,
					Object.class.getMethod("wait", long.class), BitSet.valueOf(new long[] { 5 }), OptionalInt.of(7),
					new Order("o", 7), new Named("n", TIMESTAMP), new Talking())) {
				values.put(value.getClass().getName(), value);
			}
			values.put("enum with a toString() of its own", Level.LOW);
			values.put("record with null", new Box<@Nullable Object>(null));
			values.put("record in a record", new Box<>(new Order("o", 7)));
			values.put("record with a ZonedDateTime",
					new Box<>(ZonedDateTime.ofInstant(Instant.ofEpochMilli(TIME), ZoneId.of("Asia/Tokyo"))));
			values.put("record with a List", new Box<>(List.of("b", "a")));
			values.put("record with a TreeSet", new Box<>(new TreeSet<>(Set.of("b", "a", "c", "d"))));
			values.put("record with a ConcurrentSkipListSet",
					new Box<>(new ConcurrentSkipListSet<>(Set.of("b", "a", "c"))));
			values.put("record with an EnumSet", new Box<>(EnumSet.allOf(TimeUnit.class)));
			values.put("record with a TreeMap", new Box<>(new TreeMap<>(Map.of("b", 1, "a", 2, "c", 3))));
			values.put("record with an EnumMap", new Box<>(new EnumMap<>(Map.of(TimeUnit.DAYS, 1, TimeUnit.HOURS, 2))));
			values.put("record with an Optional", new Box<>(Optional.of(LocalDate.of(2026, 1, 2))));
			values.put("record with a Map.Entry", new Box<>(Map.entry("a", Year.of(2026))));
			return values;
		}

		/** Values whose text may differ from JVM to JVM, and a part of the message. */
		static Map<String, Object[]> refused() throws Exception {
			String zone = "write #t.toInstant() for the moment";
			String order = "sort a set or a map";
			String rules = "such as #zone.ID";
			String address = "#address.hostAddress";
			String unknown = "of other values write a property";
			String identity = "differs from instance to instance";
			Map<String, Object[]> values = new LinkedHashMap<>();
			for (Object[] value : new Object[][] { { TIMESTAMP, zone }, { new java.sql.Date(TIME), zone },
					{ new Time(TIME), zone }, { new OwnDate(), zone }, { CALENDAR, zone },
					{ TimeZone.getTimeZone("Asia/Tokyo"), rules }, { new SimpleTimeZone(0, "a"), rules },
					{ InetAddress.getByAddress(new byte[] { 127, 0, 0, 1 }), address },
					{ new InetSocketAddress(80), address }, { new Thread(), unknown },
					{ new AtomicReference<>("a"), unknown }, { ByteBuffer.allocate(4), unknown },
					{ new Scanner("a"), unknown }, { new Formatter().format("a"), unknown },
					{ new IllegalStateException(), unknown }, { Map.entry("a", TIMESTAMP), zone },
					{ new Object(), identity }, { new Random(7), identity }, { new CompletableFuture<>(), identity },
					{ new SimpleDateFormat("yyyy"), identity } }) {
				values.put(value[0].getClass().getName(), value);
			}
			Runnable lambda = () -> {
			};
			InetAddress named = InetAddress.getByName("localhost");
			values.put("InetAddress with a name", new Object[] { named, address });
			values.put("class of a lambda", new Object[] { lambda.getClass(), "write #root.targetClass" });
			values.put("lambda", new Object[] { lambda, identity });
			for (Object[] part : new Object[][] { { new Date(TIME), zone }, { TIMESTAMP, zone }, { CALENDAR, zone },
					{ TimeZone.getDefault(), rules }, { InetAddress.getLoopbackAddress(), address },
					{ Set.of("a", "b", "c", "d", "e", "f"), order }, { Map.of("a", 1, "b", 2, "c", 3, "d", 4), order },
					{ new HashSet<>(List.of(TimeUnit.values())), order },
					{ new HashMap<>(Map.of(TimeUnit.DAYS, 1, TimeUnit.HOURS, 2)), order },
					{ new ConcurrentHashMap<>(Map.of(TimeUnit.DAYS, 1, TimeUnit.HOURS, 2)), order },
					{ new LinkedHashSet<>(Set.of("a", "b", "c", "d")), order }, { new Properties(), order },
					{ new Tags(), order }, { new PriorityQueue<>(Set.of("a", "b", "c", "d")), order },
					{ new ArrayDeque<>(Set.of("a", "b", "c")), order },
					{ new HashMap<>(Map.of("a", 1)).values(), order }, { new AtomicReference<>("a"), unknown },
					{ new DecimalFormat(), "whose t" }, { lambda.getClass(), "write #root.targetClass" },
					{ new int[] { 1 }, identity }, { new String[0], identity }, { new Object(), identity },
					{ List.of(new Object()), identity }, { lambda, identity } }) {
				values.put("record with " + part[0].getClass().getName(), new Object[] { new Box<>(part[0]), part[1] });
			}
			for (Object part : List.of(List.of(TIMESTAMP), Optional.of(TIMESTAMP), new TreeSet<>(Set.of(TIMESTAMP)),
					new TreeMap<>(Map.of("a", TIMESTAMP)), new EnumMap<>(Map.of(TimeUnit.DAYS, TIMESTAMP)),
					Map.entry(TIMESTAMP, "a"), new Box<>(TIMESTAMP))) {
				values.put("record with " + part.getClass().getName() + " of a Timestamp",
						new Object[] { new Box<>(part), zone });
			}
			return values;
		}

		/** Return the key of a value, or why it has none. */
		static String key(Object value) {
			try {
				return KeyText.of(value, "it ", LockDefinitionException::new);
			}
			catch (LockDefinitionException ex) {
				return "refused: " + ex.getMessage();
			}
		}

		public static void main(String[] arguments) throws Exception {
			PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
			out.println("started");
			for (Map.Entry<String, Object> value : accepted().entrySet()) {
				out.println(value.getKey() + "\t" + key(value.getValue()));
			}
			for (Map.Entry<String, Object[]> value : refused().entrySet()) {
				out.println(value.getKey() + "\t" + key(value.getValue()[0]) + "\t" + value.getValue()[0]);
			}
			out.println("end");
		}

		record Order(String id, int line) {
		}

		record Box<T extends @Nullable Object>(T content) {
		}

		/** Its author decides which components are in the text. */
		record Named(String name, Timestamp created) {

			@Override
			public String toString() {
				return this.name;
			}

		}

		static class Talking {

			@Override
			public String toString() {
				return "talks";
			}

		}

		static class OwnDate extends Date {

			OwnDate() {
				super(TIME);
			}

		}

		static class Tags extends HashSet<TimeUnit> {

			Tags() {
				super(EnumSet.allOf(TimeUnit.class));
			}

		}

		enum Level {

			LOW;

			@Override
			public String toString() {
				return "low";
			}

		}

	}

}
