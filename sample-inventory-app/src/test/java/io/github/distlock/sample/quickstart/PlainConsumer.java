package io.github.distlock.sample.quickstart;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A project that has neither Spring Boot's parent nor its plugin nor its dependency
 * management: the POMs of the library alone name the versions.
 */
final class PlainConsumer {

	private static final String POM = """
			<project xmlns="http://maven.apache.org/POM/4.0.0">
			  <modelVersion>4.0.0</modelVersion>
			  <groupId>com.example</groupId>
			  <artifactId>plain</artifactId>
			  <version>1</version>
			  <properties>
			    <maven.compiler.release>17</maven.compiler.release>
			    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
			  </properties>
			  <dependencyManagement>
			    <dependencies>
			      <dependency>
			        <groupId>io.github.distlock</groupId>
			        <artifactId>distlock-bom</artifactId>
			        <version>%s</version>
			        <type>pom</type>
			        <scope>import</scope>
			      </dependency>
			    </dependencies>
			  </dependencyManagement>
			  <dependencies>
			    <dependency>
			      <groupId>io.github.distlock</groupId>
			      <artifactId>distlock-spring-boot-starter</artifactId>
			    </dependency>
			  </dependencies>
			  <build>
			    <plugins>
			%s%s%s%s      <plugin>
			        <artifactId>maven-dependency-plugin</artifactId>
			        <version>%s</version>
			        <executions>
			          <execution>
			            <phase>package</phase>
			            <goals><goal>tree</goal><goal>copy-dependencies</goal></goals>
			            <configuration>
			              <outputFile>target/dependencies.txt</outputFile>
			              <outputDirectory>target/lib</outputDirectory>
			            </configuration>
			          </execution>
			        </executions>
			      </plugin>
			    </plugins>
			  </build>
			</project>
			""";

	private static final String PROGRAM = """
			package com.example.plain;

			import io.github.distlock.DistributedLock;
			import io.github.distlock.LockContext;
			import org.slf4j.LoggerFactory;
			import org.springframework.boot.SpringApplication;
			import org.springframework.boot.autoconfigure.SpringBootApplication;
			import org.springframework.context.ConfigurableApplicationContext;
			import org.springframework.stereotype.Service;

			@SpringBootApplication
			public class Plain {

			    public static void main(String[] args) {
			        try (ConfigurableApplicationContext context = SpringApplication.run(Plain.class, args)) {
			            LoggerFactory.getLogger(Plain.class).info("fencing token {}", context.getBean(Report.class).write());
			        }
			    }

			}

			@Service
			class Report {

			    @DistributedLock(key = "'report'")
			    public long write() {
			        return LockContext.current().orElseThrow().fencingToken();
			    }

			}
			""";

	private final Path folder;

	private final Path root;

	PlainConsumer(Path folder, Path root) {
		this.folder = folder;
		this.root = root;
	}

	/** Write the project, with the version of the library. */
	void write(String version) throws IOException {
		Path source = this.folder.resolve("src/main/java/com/example/plain/Plain.java");
		Files.createDirectories(source.getParent());
		Files.writeString(source, PROGRAM);
		Files.writeString(this.folder.resolve("pom.xml"), POM.formatted(version, plugin("resources"),
				plugin("compiler"), plugin("surefire"), plugin("jar"), version("dependency")));
	}

	/** Run the program to its end and return its output. */
	String run(int redisPort) throws IOException, InterruptedException {
		Path output = this.folder.resolve("output.log");
		int status = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
				"target/plain-1.jar" + File.pathSeparator + "target/lib/*", "com.example.plain.Plain",
				"--spring.data.redis.port=" + redisPort)
			.directory(this.folder.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start()
			.waitFor();
		String text = Files.readString(output);
		assertThat(status).as(text).isZero();
		return text;
	}

	/** Return the tree of dependencies that Maven prints. */
	String dependencies() throws IOException {
		return Files.readString(this.folder.resolve("target/dependencies.txt"));
	}

	private String plugin(String name) throws IOException {
		return """
				      <plugin>
				        <artifactId>maven-%s-plugin</artifactId>
				        <version>%s</version>
				      </plugin>
				""".formatted(name, version(name));
	}

	/**
	 * Return the version of a plugin in the build of this project, which has it already.
	 */
	private String version(String plugin) throws IOException {
		Matcher version = Pattern.compile("<artifactId>maven-" + plugin + "-plugin</artifactId>\\s*<version>([^<]+)<")
			.matcher(Files.readString(this.root.resolve("pom.xml")));
		assertThat(version.find()).as("maven-" + plugin + "-plugin in pom.xml").isTrue();
		return version.group(1);
	}

}
