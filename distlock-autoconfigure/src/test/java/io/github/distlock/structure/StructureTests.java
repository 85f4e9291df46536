package io.github.distlock.structure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaStaticInitializer;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.github.distlock.structure.StructureReport.PackageFigures;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks rules of structure and language that can be counted, in the main sources of all
 * published modules, and the size of the tests.
 */
class StructureTests {

	/**
	 * For each package: the code lines of Java, the catches of Throwable, Error or
	 * RuntimeException, and the number of types in the largest cycle of classes, of which
	 * three are always permitted. The first row is the code lines of Lua, SQL and message
	 * files together. A commit that removes code lowers its rows.
	 */
	private static final Map<String, PackageFigures> BUDGETS = PackageFigures.table("""
			(resources)         1716   0  0
			(root)               549   0  2
			actuate              465   0  0
			aop                 2590  14  2
			aop.weaving          123   0  0
			autoconfigure       1449   1  2
			backend              369   0  2
			backend.jdbc        1818   2  2
			backend.local        283   0  3
			backend.redis       2155   8  3
			backend.redlock      768   0  3
			backend.zookeeper   1068   2  0
			context               19   0  0
			contract            2874   0  0
			engine              3523  21  3
			environment          102   0  0
			integration           42   0  0
			metrics              204   0  0
			observation          408   5  3
			registry            1700   8  3
			test                 479   0  3
			test.audit           606   0  3
			thread               262   2  0
			transaction         1310   2  0
			web                   86   0  0
			""");

	private static final int MOST_METHODS = 45;

	private static final int MOST_FIELDS = 10;

	/**
	 * Lines of the tests of this module. A commit that removes some lowers it. About
	 * 2,800 are of the fence, of the store transaction, and of recordings.
	 */
	private static final long MOST_TEST_LINES = 64_760;

	private static StructureReport report;

	@BeforeAll
	static void readThisCheckout() throws IOException {
		report = new StructureReport(Path.of(".."));
	}

	@Test
	void eachPackageStaysWithinItsBudget() throws IOException {
		List<String> excess = new ArrayList<>();
		report.figures()
			.forEach((name, figures) -> excess
				.addAll(figures.excess(name, BUDGETS.getOrDefault(name, new PackageFigures(0, 0, 0)))));
		assertThat(excess)
			.as("Remove code, or raise the budget in a commit of its own, which says what for. "
					+ "The cycles of classes: %s", report.cycles())
			.isEmpty();
	}

	@Test
	void noPackageThatIsGoneHasABudget() throws IOException {
		assertThat(BUDGETS.keySet()).as("Delete the rows of the others").isSubsetOf(report.figures().keySet());
	}

	@Test
	void thePageHasTheFiguresOfToday() throws IOException {
		String most = most(JavaClass::getCodeUnits) + ", " + most(JavaClass::getFields);
		if (Boolean.getBoolean("distlock.docs.write")) {
			report.write(most);
		}
		assertThat(report.stale(most))
			.as("Write the page again: mvn -pl distlock-autoconfigure test -Dtest=StructureTests"
					+ " -Ddistlock.docs.write=true")
			.isEmpty();
	}

	private static long most(Function<JavaClass, Collection<? extends JavaMember>> members) {
		return engine().mapToLong((type) -> own(members.apply(type))).max().orElseThrow();
	}

	/** Records that only carry values are left out. */
	private static Stream<JavaClass> engine() {
		return new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
			.importPackages("io.github.distlock.engine", "io.github.distlock.registry")
			.stream()
			.filter((type) -> !type.isRecord());
	}

	@Test
	void noClassOfTheEngineIsEverything() {
		List<String> excess = engine()
			.filter((type) -> own(type.getCodeUnits()) > MOST_METHODS || own(type.getFields()) > MOST_FIELDS)
			.map((type) -> type.getName() + " has " + own(type.getCodeUnits()) + " methods and constructors, and "
					+ own(type.getFields()) + " fields")
			.toList();
		assertThat(excess).as("More than %d methods or %d fields", MOST_METHODS, MOST_FIELDS).isEmpty();
	}

	/** Those of an object that the sources declare. */
	private static long own(Collection<? extends JavaMember> members) {
		return members.stream()
			.filter((member) -> !member.getModifiers().contains(JavaModifier.SYNTHETIC))
			.filter((member) -> !(member instanceof JavaField) || !member.getModifiers().contains(JavaModifier.STATIC))
			.filter((member) -> !(member instanceof JavaStaticInitializer))
			.count();
	}

	@Test
	void noSimpleNameOfATypeExistsTwice() {
		assertThat(report.duplicateNames()).isEmpty();
	}

	@Test
	void thingsAreNotSpokenOfAsPersons() throws IOException {
		assertThat(report.persons()).hasSizeLessThanOrEqualTo(5);
	}

	@Test
	void theTestsStayWithinTheirLines() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src", "test", "java"))) {
			long lines = files.filter((file) -> file.toString().endsWith(".java"))
				.mapToLong((file) -> SourceParser.text(file).lines().count())
				.sum();
			assertThat(lines).isLessThanOrEqualTo(MOST_TEST_LINES);
		}
	}

}
