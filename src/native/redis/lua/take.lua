local why = refused(ARGV[2], ARGV[3] == '1')
if why then return why end
keep(ARGV[2], ARGV[4], ARGV[5])
note()
return 1
