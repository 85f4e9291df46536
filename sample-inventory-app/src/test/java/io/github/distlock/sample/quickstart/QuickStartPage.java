package io.github.distlock.sample.quickstart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.boot.SpringBootVersion;

/**
 * The section "Quick start" of the README: its blocks of code are a project of Maven.
 */
final class QuickStartPage {

	private static final Pattern SECTION = Pattern.compile("(?ms)^## Quick start$(.*?)^## ");

	private static final Pattern FILE = Pattern.compile("`(src/main/[\\w./]+)`[^\\n]*:\\n+```\\w+\\n(.*?)```",
			Pattern.DOTALL);

	private static final Pattern DEPENDENCIES = Pattern.compile("```xml\\n(.*?)```", Pattern.DOTALL);

	private static final Pattern SECOND_CALL = Pattern.compile("curl .*localhost:8081(\\S+)");

	/** What a new project has: Spring Boot's versions, and Spring Boot's plugin. */
	private static final String POM = """
			<project xmlns="http://maven.apache.org/POM/4.0.0">
			  <modelVersion>4.0.0</modelVersion>
			  <parent>
			    <groupId>org.springframework.boot</groupId>
			    <artifactId>spring-boot-dependencies</artifactId>
			    <version>%s</version>
			    <relativePath/>
			  </parent>
			  <groupId>com.example</groupId>
			  <artifactId>shop</artifactId>
			  <version>1</version>
			  <properties>
			    <maven.compiler.release>17</maven.compiler.release>
			    <maven.compiler.parameters>true</maven.compiler.parameters>
			    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
			  </properties>
			  <dependencies>
			%s
			  </dependencies>
			  <build>
			    <plugins>
			      <plugin>
			        <groupId>org.springframework.boot</groupId>
			        <artifactId>spring-boot-maven-plugin</artifactId>
			        <executions><execution><goals><goal>repackage</goal></goals></execution></executions>
			      </plugin>
			    </plugins>
			  </build>
			</project>
			""";

	private final String section;

	private QuickStartPage(String section) {
		this.section = section;
	}

	static QuickStartPage read(Path readme) throws IOException {
		return new QuickStartPage(first(SECTION, Files.readString(readme)));
	}

	/** Write the project of Maven. */
	void writeTo(Path project) throws IOException {
		Files.writeString(project.resolve("pom.xml"), pom(this.section));
		for (Matcher file = FILE.matcher(this.section); file.find();) {
			Path target = project.resolve(file.group(1));
			Files.createDirectories(target.getParent());
			Files.writeString(target, file.group(2));
		}
	}

	/**
	 * Return the pom of a project, with the version of this build of the library: after a
	 * release the pages name that one.
	 * @param text a text with a block that has its dependencies
	 */
	static String pom(String text) throws IOException {
		String dependencies = first(DEPENDENCIES, text).replaceAll("(distlock-[a-z-]+</artifactId><version>)[^<]+",
				"$1" + QuickStartTests.version());
		return POM.formatted(SpringBootVersion.getVersion(), dependencies);
	}

	/** Return the path of the call that gets 409 in the example. */
	String path() {
		return first(SECOND_CALL, this.section);
	}

	private static String first(Pattern pattern, String text) {
		Matcher matcher = pattern.matcher(text);
		if (!matcher.find()) {
			throw new AssertionError("The README does not contain " + pattern);
		}
		return matcher.group(1);
	}

}
