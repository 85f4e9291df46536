package io.github.distlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The engine takes clocks, randomness, threads, locks and waiting from its environment,
 * and iterates in the same order in each run. Otherwise no simulation could repeat a run.
 */
class EngineEnvironmentTests {

	private static final List<String> ENGINE = List.of("engine", "registry");

	/** Full names of methods, constructors and fields, by what they stand for. */
	private static final Pattern FORBIDDEN = Pattern.compile(String.join("|",
			// Time
			"java\\.lang\\.System\\.(nanoTime|currentTimeMillis)\\(.*", "java\\.time\\.\\w+\\.now\\(.*",
			"java\\.time\\.Clock\\.(system|tick).*", "java\\.util\\.Date\\.<init>\\(\\)",
			".*\\.(TimeSource" + "|EngineEnvironment)\\.SYSTEM",
			// Randomness
			"java\\.util\\.concurrent\\.ThreadLocalRandom\\..*", "java\\.util\\.(Splittable)?Random\\..*",
			"java\\.lang\\.Math\\.random\\(.*", "java\\.security\\.SecureRandom\\..*",
			"java\\.util\\.UUID\\.randomUUID\\(.*", "java\\.lang\\.System\\.identityHashCode\\(.*",
			// Waiting
			"java\\.lang\\.Thread\\.(sleep|join|yield|onSpinWait)\\(.*",
			"java\\.util\\.concurrent\\.TimeUnit\\." + "(sleep|timedJoin|timedWait)\\(.*",
			"java\\.util\\.concurrent\\.(\\w*Future|ForkJoinTask)\\.(get|join|invoke)\\(.*",
			"java\\.lang\\.Object\\.(wait|notify|notifyAll)\\(.*", "java\\.util\\.concurrent\\.Semaphore\\.acquire.*",
			"java\\.util\\.concurrent\\.\\w*(Queue|Deque)\\.(put|take|\\w+\\(.*TimeUnit\\)).*",
			"java\\.util\\.concurrent\\.(CountDownLatch|CyclicBarrier|Phaser|Exchanger)\\..*",
			// Threads and timers
			"java\\.util\\.concurrent\\.CompletableFuture\\.(orTimeout|completeOnTimeout|delayedExecutor)\\(.*",
			"java\\.util\\.concurrent\\.Complet\\w+\\.\\w+Async\\((?!.*Executor\\)).*",
			"java\\.util\\.concurrent\\.(Executors|ThreadPoolExecutor|ScheduledThreadPoolExecutor|ForkJoinPool)\\..*",
			"java\\.lang\\.Thread\\.(<init>|start|ofVirtual|ofPlatform|startVirtualThread)\\b?\\(.*",
			"io\\.github\\.distlock\\.thread\\.LockThreads\\.(numbered|named|virtual|newThread)\\(.*",
			"java\\.util\\.Timer\\..*", "java\\.util\\..*\\.parallel(Stream)?\\(.*",
			// Locks
			"java\\.util\\.concurrent\\.locks\\.(LockSupport\\..*|\\w+\\.<init>\\(.*|Condition\\.\\w+\\(.*)",
			// Iteration
			"java\\.util\\.(Set|Map)\\.(of|ofEntries|copyOf)\\(.*", "java\\.util\\.(IdentityHashMap|WeakHashMap)\\..*",
			"java\\.util\\.stream\\.Collectors\\.(to(Unmodifiable)?(Set|Map)|groupingBy)\\w*\\(.*"));

	/** A thread waits for one call of {@link Thread#interrupt()} on another thread. */
	private static final Set<String> ALLOWED = Set.of("io.github.distlock.engine.Hold.leaveLevel(boolean)");

	private static final Pattern HASHED = Pattern
		.compile("(?:(\\w+)(?: =|\\.set\\()|.*) ?(?:new (?:HashMap|HashSet|ConcurrentHashMap)<|ConcurrentHashMap\\.)");

	/** The order of their hash codes is the same in each JVM. */
	/** The last one is a record that has the hash code of its first lock. */
	private static final Set<String> KEYS = Set.of("String", "Long", "Integer", "RenewalBatch");

	private static final Path SOURCES = Path.of("src/main/java/io/github/distlock");

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(ENGINE.stream().map((name) -> "io.github.distlock." + name).toList());

	@Test
	void theEngineHasNoClockRandomnessThreadOrLockOfItsOwnAndNoCollectionOfVaryingOrder() {
		assertThat(CLASSES).isNotEmpty();
		List<String> violations = CLASSES.stream()
			.flatMap(EngineEnvironmentTests::accesses)
			.filter((access) -> FORBIDDEN.matcher(access.getTarget().getFullName()).matches())
			.filter((access) -> !ALLOWED.contains(access.getOrigin().getFullName()))
			.map(JavaAccess::getDescription)
			.toList();
		assertThat(violations).as("what a simulation can neither replace nor repeat").isEmpty();
	}

	/** The byte code does not tell the keys of local variables. */
	@Test
	void setsAndMapsThatHashOrderTheirKeysInTheSameWayInEachRun() throws IOException {
		List<String> violations = new ArrayList<>();
		for (Path file : sources()) {
			String text = Files.readString(file);
			for (String line : text.split("\n")) {
				Matcher hashed = HASHED.matcher(line.strip());
				if (hashed.find() && !hasOrder(keyType(text, line, hashed.group(1)))) {
					violations.add(file.getFileName() + ": " + line.strip());
				}
			}
		}
		assertThat(violations).as("Use a linked or sorted collection, or give the key a hashCode() of its own")
			.isEmpty();
	}

	@Test
	void theEngineHasNoMonitors() throws IOException {
		for (Path file : sources()) {
			assertThat(Files.readString(file).contains("synchronized ")).as("%s", file).isFalse();
		}
	}

	private static Stream<? extends JavaAccess<?>> accesses(JavaClass type) {
		return type.getAccessesFromSelf().stream();
	}

	private static List<Path> sources() throws IOException {
		List<Path> all = new ArrayList<>();
		for (String name : ENGINE) {
			if (Files.isDirectory(SOURCES.resolve(name))) {
				try (Stream<Path> files = Files.list(SOURCES.resolve(name))) {
					files.filter((file) -> file.toString().endsWith(".java")).forEach(all::add);
				}
			}
		}
		return all;
	}

	/** The first type argument of the declaration, which may be in another line. */
	private static String keyType(String text, String line, String name) {
		Matcher here = Pattern.compile("(?:Map|Set)<(?:@Nullable )?(\\w+)").matcher(line);
		if (here.find()) {
			return here.group(1);
		}
		Matcher elsewhere = Pattern.compile("(?:Map|Set)<(?:@Nullable )?(\\w+)[^;=]*> " + name + "\\b").matcher(text);
		return elsewhere.find() ? elsewhere.group(1) : "";
	}

	/** A record has a hash code of its own, but one of its components may not have. */
	private static boolean hasOrder(String key) {
		return KEYS.contains(key) || CLASSES.stream()
			.anyMatch((type) -> type.getSimpleName().equals(key) && !type.isRecord()
					&& type.tryGetMethod("hashCode").isPresent());
	}

}
